import { fireEvent } from '@testing-library/react'

/** Enters a whole text at once in a test. `userEvent.type` renders the page for each character. */
export function fillField(field: Element, value: string): void {
  fireEvent.change(field, { target: { value } })
}
