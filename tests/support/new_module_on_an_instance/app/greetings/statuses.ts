/** Labels of the statuses, in the order of the filter. */
export const greetingStatuses = {
  writing: 'Being written',
  written: 'Written',
  deleting: 'Being deleted',
  failed: 'Failed',
}

export type GreetingStatus = keyof typeof greetingStatuses
