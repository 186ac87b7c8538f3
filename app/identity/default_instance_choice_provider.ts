interface DefaultInstance {
  choices(customerId: number): Promise<{ id: number; name: string }[]>
}

/** The module `instances` provides the implementation. */
export const defaultInstanceChoiceProvider: DefaultInstance = { choices: () => Promise.resolve([]) }
