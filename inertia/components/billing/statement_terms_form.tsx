import { useState } from 'react'
import { NativeSelect, Stack } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import type { StatementPage, StatementTermAnswer, UnknownStatementTerm } from './types'

const columnLabels = { status: 'Status', direction: 'Debit or credit' }

const ANSWERS = [
  { value: '', label: 'Not answered yet' },
  { value: 'yes', label: 'Counts as received' },
  { value: 'no', label: 'Does not count' },
]

type StatementTermsFormProps = Pick<StatementPage, 'statement' | 'unknownTerms' | 'termAnswers'> & {
  barred: string | null
}

type Term = Omit<StatementTermAnswer, 'counts'>

const keyOf = ({ column, term }: Term) => `${column}:${term.toLowerCase()}`

/** Asks staff for the meaning of words in this statement that Berth does not know. Earlier answers can be changed. */
export function StatementTermsForm(props: StatementTermsFormProps) {
  const { statement, unknownTerms, termAnswers, barred } = props
  const earlier = new Map(
    termAnswers.map((answer) => [keyOf(answer), answer.counts ? 'yes' : 'no'])
  )
  const [answers, setAnswers] = useState(earlier)
  const answerTo = (term: Term) => answers.get(keyOf(term)) ?? ''
  const unknownKeys = new Set(unknownTerms.map(keyOf))
  const terms: UnknownStatementTerm[] = unknownTerms.concat(
    termAnswers
      .filter((answer) => !unknownKeys.has(keyOf(answer)))
      .map(({ column, term }) => ({ column, term, count: 0, rows: [] }))
  )
  const form = useApiForm({
    to: '/admin/billing/statements/columns',
    send: () => ({
      id: statement.id,
      // Sends only changed answers, because another person may have changed the others since this page was loaded.
      terms: terms
        .filter((term) => answerTo(term) !== (earlier.get(keyOf(term)) ?? ''))
        .map(({ column, term }) => {
          const answer = answerTo({ column, term })
          return { column, term, counts: answer ? answer === 'yes' : null }
        }),
    }),
    onDone: () => {},
  })
  return (
    <FormFrame
      form={form}
      submit="Save answers and read the statement again"
      buttons="left"
      reason={barred}
    >
      <Stack gap="md">
        {terms.map((term) => (
          <NativeSelect
            key={keyOf(term)}
            label={`${columnLabels[term.column]}: ${term.term || '(empty)'}`}
            description={rowsText(term)}
            data={ANSWERS}
            value={answerTo(term)}
            onChange={({ currentTarget: { value } }) =>
              setAnswers(new Map(answers).set(keyOf(term), value))
            }
          />
        ))}
      </Stack>
    </FormFrame>
  )
}

function rowsText({ count, rows }: UnknownStatementTerm): string {
  if (count === 0) return 'Answered earlier'
  const more = count > rows.length ? ` and ${count - rows.length} more` : ''
  return `${count === 1 ? 'Row' : 'Rows'} ${rows.join(', ')}${more}`
}
