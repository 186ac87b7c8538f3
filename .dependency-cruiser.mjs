import modules from './app/modules.json' with { type: 'json' }

/** Imports point one way, towards packages and core (docs/decisions/0001, 0016). */
const upward = modules.flatMap((names, rank) =>
  names.map((name) => {
    const allowed = [name, ...modules.slice(0, rank).flat()]
    return {
      name: `${name}-imports-downward`,
      comment: `app/${name} may import only itself and modules below it`,
      severity: 'error',
      from: { path: `^app/${name}/` },
      to: { path: '^app/', pathNot: `^app/(${allowed.join('|')})/` },
    }
  })
)

/** Within a module, a layer must not import a layer to its left, nor schedules. */
const layers = ['controllers', 'actions', 'operations', 'containers']

const inward = layers.slice(1).map((layer, index) => ({
  name: `${layer}-know-nothing-above`,
  comment: `One direction Within a module: ${layers.join(', ')}, packages`,
  severity: 'error',
  from: { path: `^app/([^/]+)/${layer}/` },
  to: { path: `^app/$1/(schedules|${layers.slice(0, index + 1).join('|')})/` },
}))

const PAGE_PROPS = '^app/[^/]+/transformers/[a-z_]*page_props[.]ts$'

export default {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'aliases-are-understood',
      comment: 'What cannot be resolved is not looked at by any other rule',
      severity: 'error',
      from: { path: '^(app|packages|inertia)/' },
      to: { path: '^(#|~|@ui)', couldNotResolve: true },
    },
    {
      name: 'packages-know-no-app',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(app|inertia|config|start|providers|cli)/' },
    },
    {
      name: 'ui-knows-no-inertia',
      severity: 'error',
      from: { path: '^packages/ui/' },
      to: { path: '@inertiajs' },
    },
    {
      name: 'modules-meet-through-public-and-public-effects',
      comment:
        'Import app/MODULE/public.ts (rows, rules) or app/MODULE/public_effects.ts (machines, emails, sessions), no other file of another module. Core is open to all.',
      severity: 'error',
      from: { path: '^app/([^/]+)/', pathNot: '/tests/' },
      to: {
        path: '^app/([^/]+)/',
        pathNot: ['^app/$1/', '^app/core/', '^app/[^/]+/(public|public_effects)\\.ts$'],
      },
    },
    {
      name: 'page-props-import-no-model',
      comment:
        'Page props describe JSON for the browser. Move the type that they need out of the file of the model.',
      severity: 'error',
      from: { path: [PAGE_PROPS, '^app/core/page_props[.]ts$'] },
      to: { path: '^app/[^/]+/models/' },
    },
    {
      name: 'page-props-stay-in-their-module',
      comment:
        'The module that renders a page has the types of its props. A module that needs one of these types declares it itself, and exports it from public.ts for the modules above.',
      severity: 'error',
      from: { path: '^(app|packages)/([^/]+)/', pathNot: '/tests/' },
      to: { path: PAGE_PROPS, pathNot: '^$1/$2/' },
    },
    {
      name: 'pages-know-no-server',
      severity: 'error',
      from: { path: '^inertia/' },
      to: {
        path: '^(app|config|start|providers|cli|packages/(?!ui/|text/|terminal-gateway/protocol))',
        dependencyTypesNot: ['type-only'],
      },
    },
    ...inward,
    ...upward,
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^build/', '^ssr/', '^public/', '^\\.'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    webpackConfig: { fileName: '.dependency-cruiser-resolve.mjs' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
