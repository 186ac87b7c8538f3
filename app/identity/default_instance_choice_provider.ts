interface DefaultInstance {
  choices(customerId: number): Promise<{ id: number; name: string }[]>
}

/** Bound by the module that has instances. */
export const defaultInstanceChoiceProvider: DefaultInstance = { choices: () => Promise.resolve([]) }
