import tseslint from 'typescript-eslint'
import reactHooks from 'eslint-plugin-react-hooks'

const webRoot = {
  selector: 'Literal[value=/public_html/], TemplateElement[value.raw=/public_html/]',
  message: 'The web root is webRoot of #guest/public.',
}
const live = {
  selector:
    'CallExpression[callee.property.name=/^(and|or)?whereNot(In)?$/i][arguments.0.value="status"]:has(Literal[value="deleted"]):not(MethodDefinition[key.name="live"] *)',
  message: 'What is not deleted is asked for by live() of its model.',
}
const aborts = {
  selector: 'CallExpression[callee.property.name="addEventListener"][arguments.0.value="abort"]',
  message: 'addAbortListener of node:events also hears what was asked for before.',
}
const visits = {
  selector:
    'CallExpression[callee.object.name=router][callee.property.name=/^(visit|post|put|patch|delete|push)$/]',
  message:
    'Visits go through visit and post of ~/visit, steps in the address through ~/client_navigation.',
}
const forms = {
  selector:
    'JSXOpeningElement[name.name="form"]:not(:has(JSXAttribute[name.name="method"][value.value="post"]))',
  message: 'Give the form method="post": otherwise the browser puts the fields into the URL.',
}
const tables = {
  selector:
    'JSXOpeningElement[name.name="table"], ImportDeclaration[source.value="@mantine/core"] ImportSpecifier[imported.name="Table"]',
  message: 'Rows are shown by List or Table of ~/components/list (docs/decisions/0024).',
}
const literalSpreads = [
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression.argument',
    message:
      'Write the properties into the outer object literal instead of spreading another literal.',
  },
  {
    selector:
      'ArrayExpression > SpreadElement > :matches(ArrayExpression, TSAsExpression[expression.type="ArrayExpression"]).argument',
    message:
      'Write the elements into the outer array literal instead of spreading another literal.',
  },
  {
    selector: 'JSXSpreadAttribute > ObjectExpression.argument',
    message: 'Write the properties as attributes instead of spreading a literal.',
  },
]
const privateKeyword = {
  selector:
    ':matches(PropertyDefinition, AccessorProperty, TSParameterProperty, MethodDefinition[kind!="constructor"])[accessibility="private"]',
  message: 'Use a #private name instead of the keyword private.',
}
const everywhere = [...literalSpreads, privateKeyword]
const relativeImports = {
  selector: 'ImportDeclaration[source.value=/^[.][.]?[^.](?!([.][.].)*(cli|bin).).*[.]js$/]',
  message: 'Files of app are imported as #module/name.',
}

export default tseslint.config(
  {
    ignores: [
      'node_modules',
      '.node',
      '.berth',
      '.adonisjs',
      'build',
      'ssr',
      'public',
      'app/core/page_addresses.ts',
      'inertia/page_files.ts',
    ],
  },
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
      'no-restricted-syntax': ['error', ...everywhere],
      'no-console': 'error',
    },
  },
  {
    files: ['app/**'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, relativeImports] },
  },
  {
    files: ['app/**', 'cli/**', 'commands/**', 'bench/**'],
    ignores: ['**/tests/**'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, live, aborts] },
  },
  {
    files: ['app/**'],
    ignores: ['**/tests/**'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, relativeImports, live, aborts] },
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
              importNames: ['connectToActiveInstance', 'connectToActiveInstanceViaHost'],
              message: 'Machines of instances come from #guest/public.',
            },
          ],
        },
      ],
      'no-restricted-syntax': ['error', ...everywhere, relativeImports, live, aborts, webRoot],
    },
  },
  {
    // Addresses are checked where they are used (docs/decisions/0021); lists have one mark-up (0024).
    files: ['inertia/**', 'packages/ui/**'],
    ignores: [
      'inertia/{visit,client_navigation}.ts',
      'inertia/components/list/**',
      '**/*.test.{ts,tsx}',
    ],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, visits, tables, forms] },
  },
  {
    files: ['inertia/**/*list.tsx'],
    ignores: ['inertia/components/list/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: '~/components/list/table',
          importNames: ['Table'],
          message: 'A list has filters, pages and a saved state: it is a List.',
        },
      ],
    },
  },
  { files: ['cli/**', 'bench/**', 'commands/**'], rules: { 'no-console': 'off' } }
)
