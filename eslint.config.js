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
  {
    // One way into an instance, one web root (docs/decisions/0015).
    files: ['app/{terminal,projects,files,git,databases}/**'],
    ignores: ['**/tests/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^#(?!guest/)',
              importNames: ['machineOf', 'machineThroughHost'],
              message: 'Machines of instances come from #guest/public.',
            },
          ],
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Literal[value=/public_html/], TemplateElement[value.raw=/public_html/]',
          message: 'The web root is webRoot of #guest/public.',
        },
      ],
    },
  },
  {
    // Addresses are checked where they are used (docs/decisions/0021).
    files: ['inertia/**'],
    ignores: ['inertia/visit.ts', 'inertia/components/list/**', '**/*.test.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression[callee.object.name=router][callee.property.name=/^(visit|post|put|patch|delete)$/]',
          message: 'Visits go through visit and post of ~/visit.',
        },
      ],
    },
  },
  { files: ['cli/**', 'bench/**', 'commands/**'], rules: { 'no-console': 'off' } }
)
