import { fireEvent } from '@testing-library/react'

/** Enters a whole text at once, for tests. `userEvent.type` would render the page again for each character. */
export function fillField(field: Element, value: string): void {
  fireEvent.change(field, { target: { value } })
}
