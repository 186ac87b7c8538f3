/**
 * Imports point one way (docs/decisions/0001): packages <- core <- identity <- compute <- guest <-
 * terminal, projects, files, git, databases <- billing, support; vault and mail beside compute.
 */
const ranks = [
  ['core'],
  ['identity'],
  ['compute', 'vault', 'mail'],
  ['guest'],
  ['terminal', 'projects', 'files', 'git', 'databases'],
  ['billing', 'support'],
]

const upward = ranks.flatMap((domains, rank) =>
  domains.map((domain) => {
    const allowed = [domain, ...ranks.slice(0, rank).flat()]
    return {
      name: `${domain}-imports-downward`,
      comment: `app/${domain} may import only itself and domains below it`,
      severity: 'error',
      from: { path: `^app/${domain}/` },
      to: { path: '^app/', pathNot: `^app/(${allowed.join('|')})/` },
    }
  })
)

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
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
      name: 'domains-meet-through-public',
      comment: 'Across domains only public.ts (core is common ground)',
      severity: 'error',
      from: { path: '^app/([^/]+)/', pathNot: '/tests/' },
      to: { path: '^app/([^/]+)/', pathNot: ['^app/$1/', '^app/core/', '/public\\.ts$'] },
    },
    {
      name: 'pages-know-no-server',
      severity: 'error',
      from: { path: '^inertia/' },
      to: {
        path: '^(app|config|start|providers|cli|packages/(?!ui/|terminal-gateway/protocol))',
        dependencyTypesNot: ['type-only'],
      },
    },
    ...upward,
  ],
  options: {
    doNotFollow: { path: ['node_modules'] },
    exclude: { path: ['^build/', '^ssr/', '^public/', '^\\.'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
