import tseslint from 'typescript-eslint'
import reactHooks from 'eslint-plugin-react-hooks'

export default tseslint.config(
  { ignores: ['node_modules', '.node', '.berth', '.adonisjs', 'build', 'ssr', 'public'] },
  ...tseslint.configs.recommended,
  {
    files: ['inertia/**/*.{ts,tsx}', 'packages/ui/**/*.{ts,tsx}'],
    ...reactHooks.configs.flat['recommended-latest'],
  },
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': 'allow-with-description' },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/no-empty-object-type': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  { files: ['cli/**', 'bench/**', 'commands/**'], rules: { 'no-console': 'off' } }
)
