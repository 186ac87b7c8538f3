interface DefaultInstance {
  choices(customerId: number): Promise<{ id: number; name: string }[]>
}

/** Bound by the module that has instances. Without it there are no choices. */
export const defaultInstanceChoiceProvider: DefaultInstance = { choices: () => Promise.resolve([]) }
