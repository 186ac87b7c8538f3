interface DefaultInstance {
  /** The instances that a customer can make the default one. */
  choices(customerId: number): Promise<{ id: number; name: string }[]>
}

/** Bound by the domain that has instances; until then there are none. */
export const defaultInstanceChoiceProvider: DefaultInstance = { choices: () => Promise.resolve([]) }
