import { useState } from 'react'
import { expect, it } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { fieldProps } from '@ui/form_field'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  type DomainFormValues,
  AdditionalDomainFields,
  suggestAdditionalDomain,
  toDomainFormValues,
} from './additional_domain_fields'

it('the fields suggest the main domain with www, or without www, unless the suggestion is in use', () => {
  expect(suggestAdditionalDomain('Example.com', [])).toBe('www.example.com')
  expect(suggestAdditionalDomain('www.example.com', [])).toBe('example.com')
  expect(suggestAdditionalDomain('example.com', [{ name: 'www.example.com' }])).toBe('')
  expect(suggestAdditionalDomain(' ', [])).toBe('')
})

it('up to five additional domains can be added and removed, and they redirect by default', async () => {
  const user = userEvent.setup()
  let draft = toDomainFormValues(null)
  expect(draft).toEqual({ other_names: [], https_redirect: true })
  function Form() {
    const [values, setValues] = useState(draft)
    draft = values
    const errors = { 'other_names.0.name': 'This name is taken.' }
    return (
      <AdditionalDomainFields
        main="example.com"
        draft={values}
        set={(change: Partial<DomainFormValues>) => setValues({ ...values, ...change })}
        field={(name) => fieldProps(name, errors)}
      />
    )
  }
  render(<Form />, { wrapper: MantineProvider })
  const add = () => user.click(screen.getByRole('button', { name: 'Add another domain' }))
  await add()
  expect(draft.other_names).toEqual([{ name: 'www.example.com', use: 'redirect' }])
  expect(screen.getByText('This name is taken.')).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Use of additional domain 1'), 'Serves the site')
  expect(draft.other_names[0].use).toBe('serve')
  for (let count = 2; count <= 5; count++) await add()
  expect(screen.queryByRole('button', { name: 'Add another domain' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Remove additional domain 1' }))
  expect(draft.other_names.map(({ name }) => name)).toEqual(['', '', '', ''])
  await user.click(screen.getByLabelText('Redirect HTTP to HTTPS'))
  expect(draft.https_redirect).toBe(false)
})
