import env from '#start/env'

/** Gives settings other values from now on; returns how to undo it. */
export function changeSettings(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((name) => [name, process.env[name]] as const)
  for (const [name, value] of Object.entries(values)) env.set(name as never, value as never)
  return () => {
    for (const [name, value] of before) {
      env.set(name as never, value as never)
      // What is set to nothing would be the word "undefined" to the process and its children.
      if (value === undefined) delete process.env[name]
    }
  }
}
