import app from '@adonisjs/core/services/app'
import { glob } from 'node:fs/promises'

const FILE_HEADER = `import type { ComponentType } from 'react'
import type { PagePropsByFile } from '#core/page_props'
import type { SharedProps } from '~/types'

/** Each page component accepts exactly the props that the server sends. */
type PageComponents = { [Name in keyof PagePropsByFile]: { default: ComponentType<SharedProps & PagePropsByFile[Name]> } }

type Takes<Files extends PageComponents> = Files

/** Written by \`./berth check\` and \`./berth dev\` from the files (docs/decisions/0021). */
export type PageFiles = Takes<{
`

/** Returns the source of a TypeScript module. It checks that each page accepts the props that the server sends. */
export async function generatePageTypes(): Promise<string> {
  const names: string[] = []
  for await (const file of glob('**/*.tsx', { cwd: app.makePath('inertia/pages') })) {
    if (!file.endsWith('.test.tsx')) names.push(file.slice(0, -'.tsx'.length))
  }
  const lines = names.sort().map((name) => `  ${key(name)}: typeof import('./pages/${name}')\n`)
  return `${FILE_HEADER}${lines.join('')}}>\n`
}

const key = (name: string) => (name.includes('/') ? `'${name}'` : name)
