import { useRef, useState } from 'react'
import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { Money } from '@ui/money'
import { useRegion } from '@ui/region'
import Big from 'big.js'

const MAX_TRANSFERS_PER_CLAIM = 20
const AMOUNT_PATTERN = /^\d{1,11}(\.\d{1,2})?$/
const THOUSANDS_PATTERN = /^\d{1,3}(,\d{2,3})*,\d{3}(?=\.|$)/

interface TransferFieldsProps {
  /** In the region's currency, including the fee. */
  totalPayable: string
  field: (name: string) => { name: string; error?: string }
}

/** A payment can need several transfers, because the operator limits the amount of each. */
export function TransferFields({ totalPayable, field }: TransferFieldsProps) {
  const [rows, setRows] = useState([{ key: 0, amount: '' }])
  const last = useRef(0)
  const add = useRef<HTMLDivElement>(null)
  const several = rows.length > 1
  const { name: currency } = useRegion()
  const sent = rows
    .map(({ amount }) =>
      amount.trim().replace(THOUSANDS_PATTERN, (some) => some.replaceAll(',', ''))
    )
    .filter((amount) => AMOUNT_PATTERN.test(amount))
    .reduce((total, amount) => total.plus(amount), new Big(0))
  const left = new Big(totalPayable).minus(sent)
  const change = (key: number, amount: string) =>
    setRows(rows.map((row) => (row.key === key ? { key, amount } : row)))

  return (
    <Stack gap="xs" role="group" aria-label="Transfers">
      {rows.map(({ key, amount }, index) => {
        const nth = several ? ` ${index + 1}` : ''
        return (
          <SimpleGrid key={key} cols={{ base: 1, xs: 2 }} spacing="xs">
            <TextInput
              label={`Transaction ID${nth}`}
              required
              maxLength={1_000}
              autoFocus={key > 0}
              {...field(`parts.${index}.trx_id`)}
            />
            <Group gap="xs" align="flex-start" wrap="nowrap">
              <TextInput
                flex={1}
                label={`Amount sent${nth}`}
                required={several}
                placeholder={several ? undefined : totalPayable}
                inputMode="decimal"
                value={amount}
                onChange={(event) => change(key, event.currentTarget.value)}
                {...field(`parts.${index}.amount`)}
              />
              {several && (
                <Button
                  mt={25}
                  variant="default"
                  aria-label={`Remove transfer ${index + 1}`}
                  onClick={() => {
                    setRows(rows.filter((row) => row.key !== key))
                    add.current?.querySelector('button')?.focus()
                  }}
                >
                  Remove
                </Button>
              )}
            </Group>
          </SimpleGrid>
        )
      })}
      <Text size="sm" c="dimmed" role="status">
        {sent.gt(0) ? (
          <>
            Sent <Money amount={sent.toFixed()} />,{' '}
            {left.lt(0) ? (
              <strong>
                <Money amount={left.abs().toFixed()} /> more than the amount due
              </strong>
            ) : (
              <>
                <Money amount={left.toFixed()} /> left to pay
              </>
            )}
          </>
        ) : several ? (
          `Enter the amount of each transfer in ${currency}. What you did not send stays due.`
        ) : (
          `Enter the amount in ${currency}, or leave it empty if you sent the total payable. What you did not send stays due.`
        )}
      </Text>
      <div ref={add}>
        <ButtonWithDisabledReason
          size="xs"
          variant="default"
          reason={
            rows.length < MAX_TRANSFERS_PER_CLAIM
              ? null
              : `You can enter at most ${MAX_TRANSFERS_PER_CLAIM} transfers at once.`
          }
          onClick={() => {
            last.current += 1
            setRows([...rows, { key: last.current, amount: '' }])
          }}
        >
          Add another transfer
        </ButtonWithDisabledReason>
      </div>
    </Stack>
  )
}

interface TransferInput extends Record<string, unknown> {
  trx_id?: string
  amount?: string
  parts?: { trx_id: string; amount: string }[]
}

/** A single transfer without an amount pays all that is due. */
export function readTransferFields(fields: FormData): TransferInput {
  const parts = Array.from({ length: MAX_TRANSFERS_PER_CLAIM }, (_, index) => ({
    trx_id: fields.get(`parts.${index}.trx_id`) as string | null,
    amount: fields.get(`parts.${index}.amount`) as string,
  })).filter((part): part is { trx_id: string; amount: string } => part.trx_id !== null)
  if (parts.length > 1) return { parts }
  const [{ trx_id: trxId, amount }] = parts
  return { trx_id: trxId, ...(amount && { amount }) }
}

/** Returns the field errors of each transfer. If there is only one transfer, the server's field names have no index. */
export function errorsByTransfer(errors: Record<string, string[]>, sent: TransferInput) {
  if (sent.parts) return errors
  return Object.fromEntries(
    Object.entries(errors).map(([name, texts]) => [
      name === 'trx_id' || name === 'amount' ? `parts.0.${name}` : name,
      texts,
    ])
  )
}
