/** What a project can be made of. Forms, steps and starter pages all come from this map. */
export const stacks = {
  static: { label: 'Static', needs: [], process: false, listensOn: null },
  php: { label: 'PHP', needs: ['php'], process: false, listensOn: null },
  node: { label: 'Node', needs: [], process: true, listensOn: 'PORT' },
  next: { label: 'Next.js', needs: [], process: true, listensOn: 'PORT' },
  wordpress: { label: 'WordPress', needs: ['php', 'wordpress'], process: false, listensOn: null },
} as const satisfies Record<string, StackFacts>

interface StackFacts {
  label: string
  /** Software that is installed on demand, in this order. */
  needs: readonly ('php' | 'wordpress')[]
  /** Whether it runs as a process of its own under PM2. */
  process: boolean
  /** The environment variable that tells it its port. */
  listensOn: string | null
}

export type Stack = keyof typeof stacks

/** Stack to label, for pages. */
export const stackLabels = Object.fromEntries(
  Object.entries(stacks).map(([key, { label }]) => [key, label])
) as Record<Stack, string>
