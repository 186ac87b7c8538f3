/** Forms, setup steps and starter pages use this map. */
export const stacks = {
  static: { label: 'Static', needs: [], builds: false, process: false },
  php: { label: 'PHP', needs: ['php'], builds: false, process: false },
  node: { label: 'Node', needs: [], builds: false, process: true },
  next: { label: 'Next.js', needs: [], builds: true, process: true },
  wordpress: {
    label: 'WordPress',
    needs: ['php', 'database', 'wordpress'],
    builds: false,
    process: false,
  },
} as const satisfies Record<string, StackInput>

interface StackInput {
  label: string
  /** Software that is installed on demand, in this order. */
  needs: readonly StackRequirement[]
  builds: boolean
  process: boolean
}

export type StackRequirement = 'php' | 'database' | 'wordpress'

export type ProjectStack = keyof typeof stacks

export const stackLabels = Object.fromEntries(
  Object.entries(stacks).map(([key, { label }]) => [key, label])
) as Record<ProjectStack, string>

/** Stacks with a database server, for which shared instances are too small. */
export const databaseStacks = (Object.keys(stacks) as ProjectStack[]).filter((stack) =>
  (stacks[stack].needs as readonly StackRequirement[]).includes('database')
)
