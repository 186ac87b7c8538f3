import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from '@japa/runner'
import { installRoot, programPath } from '../paths.js'
import { runProgram } from '../run_program.js'

/** Code that a lint rule must report, as rule, path and code. */
const violations: [string, string, string][] = [
  ['berth(no-literal-spread)', 'app/billing/a.ts', 'export const a = { ...{ b: 1 }, c: 2 }'],
  ['berth(no-literal-spread)', 'cli/b.ts', 'export const a = [...[1, 2], 3]'],
  ['berth(no-literal-spread)', 'inertia/c.tsx', 'export const C = () => <a {...{ href: "/" }} />'],
  ['berth(no-private-keyword)', 'packages/edge/d.ts', 'export class D {\n  private e = 1\n}'],
  [
    'berth(no-private-keyword)',
    'app/billing/d.ts',
    'export class D {\n  constructor(private e: number) {}\n}',
  ],
  ['berth(imports-by-alias)', 'app/billing/e.ts', "import { a } from '../core/a.js'\nvoid a"],
  ['berth(typed-actor)', 'app/billing/x.ts', 'void ctx.actor!.id'],
  ['berth(typed-actor)', 'app/identity/x.ts', 'void ctx.actorIfSignedIn!'],
  ['berth(typed-actor)', 'app/mail/x.ts', 'const { actor } = ctx\nvoid actor!'],
  ['berth(live-rows)', 'app/billing/f.ts', "void query.whereNot('status', 'deleted')"],
  ['berth(live-rows)', 'bench/f.ts', "void query.andWhereNotIn('status', ['deleted'])"],
  ['berth(abort-listener)', 'cli/g.ts', "signal.addEventListener('abort', stop)"],
  ['berth(web-root)', 'app/files/h.ts', "export const root = '/home/public_html'"],
  ['berth(web-root)', 'app/git/h.ts', 'export const root = `${home}/public_html`'],
  [
    'berth(page-prop-types)',
    'app/projects/transformers/page_props.ts',
    "import type { DomainView, ServerInstance } from '#instances/public'\nexport type A = DomainView | ServerInstance",
  ],
  ['berth(visits)', 'inertia/pages/j.tsx', "router.post('/x')"],
  ['berth(list-markup)', 'inertia/pages/k.tsx', 'export const K = () => <table />'],
  ['berth(list-markup)', 'packages/ui/k.tsx', "import { Table } from '@mantine/core'\nvoid Table"],
  ['berth(form-method)', 'inertia/pages/l.tsx', 'export const L = () => <form method="get" />'],
  [
    'eslint(no-restricted-imports)',
    'inertia/pages/m_list.tsx',
    "import { Table } from '~/components/list/table'\nvoid Table",
  ],
  ['eslint(no-console)', 'app/billing/n.ts', 'console.log(1)'],
  ['eslint(eqeqeq)', 'app/billing/o.ts', 'export const o = (a: number) => a == 1'],
  ['eslint(no-unused-vars)', 'app/billing/p.ts', 'const p = 1'],
  ['typescript(no-explicit-any)', 'app/billing/q.ts', 'export const q = (a: any) => a'],
  ['typescript(ban-ts-comment)', 'app/billing/r.ts', '// @ts-ignore\nexport const r = 1'],
  ['typescript(ban-ts-comment)', 'app/billing/s.ts', '// @ts-expect-error\nexport const s = 1'],
  [
    'react-hooks(rules-of-hooks)',
    'inertia/pages/t.tsx',
    "import { useState } from 'react'\nexport function T({ on }: { on: boolean }) {\n  if (on) useState(1)\n  return null\n}",
  ],
  [
    'react-hooks(exhaustive-deps)',
    'inertia/pages/u.tsx',
    "import { useEffect } from 'react'\nexport function U({ on }: { on: () => void }) {\n  useEffect(() => on(), [])\n  return null\n}",
  ],
  [
    'react(set-state-in-effect)',
    'inertia/pages/v.tsx',
    "import { useEffect, useState } from 'react'\nexport function V() {\n  const [a, setA] = useState(0)\n  useEffect(() => {\n    setA(1)\n  }, [])\n  return a\n}",
  ],
  [
    'react(refs)',
    'inertia/pages/w.tsx',
    "import { useRef } from 'react'\nexport function W() {\n  const a = useRef(0)\n  return a.current\n}",
  ],
  [
    'react(purity)',
    'inertia/pages/x.tsx',
    'export function X() {\n  return <p>{Math.random()}</p>\n}',
  ],
]

/** Code that no lint rule may report, as path and code. */
const allowed: [string, string][] = [
  [
    'app/instances/a.ts',
    "export class A {\n  static live() {\n    return this.query().whereNot('status', 'deleted')\n  }\n}",
  ],
  ['app/billing/tests/b.spec.ts', "void query.whereNot('status', 'deleted')"],
  ['inertia/pages/d.tsx', 'export const D = () => <form method="post" />'],
  ['inertia/components/list/e.tsx', 'export const E = () => <table />'],
  ['cli/f.ts', 'console.log(1)'],
]

test.group('lint rules', () => {
  test('each lint rule reports forbidden code and nothing else', async ({ assert }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-lint-'))
    try {
      for (const name of ['.oxlintrc.json', '.oxlint-rules.mjs']) {
        await cp(join(installRoot, name), join(folder, name))
      }
      await symlink(join(installRoot, 'node_modules'), join(folder, 'node_modules'))
      const wrong = violations.map(([, path, code]): [string, string] => [path, code])
      for (const [path, code] of [...wrong, ...allowed]) {
        await mkdir(join(folder, dirname(path)), { recursive: true })
        await writeFile(join(folder, path), `${code}\n`)
      }
      const { output } = await runProgram([programPath('oxlint'), '--format=json'], { cwd: folder })
      const { diagnostics } = JSON.parse(output) as {
        diagnostics: { code: string; filename: string }[]
      }
      const found = new Set(diagnostics.map(({ code, filename }) => `${code} ${filename}`))
      const expected = new Set(violations.map(([rule, path]) => `${rule} ${path}`))
      assert.deepEqual([...found].sort(), [...expected].sort())
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
