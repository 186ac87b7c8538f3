import { useState } from 'react'
import { Alert, Button, Group, MultiSelect, NumberInput, TextInput } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { useApiCall } from '~/components/use_api_call'
import type { CorsRule } from './types'
import styles from './vault.module.css'

const methods: CorsRule['methods'] = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE']

interface CorsRuleInput {
  origins: string
  methods: CorsRule['methods']
  headers: string
  exposed: string
  max_age: number
}

const splitList = (text: string) => text.split(/[\s,]+/).filter(Boolean)

function toCorsRuleInput(rule: CorsRule): CorsRuleInput {
  return {
    origins: rule.origins.join(', '),
    methods: rule.methods,
    headers: rule.headers.join(', '),
    exposed: rule.exposed.join(', '),
    max_age: rule.maxAge,
  }
}

const newRule: CorsRuleInput = {
  origins: 'https://example.com',
  headers: '',
  exposed: '',
  methods: ['GET', 'HEAD'],
  max_age: 3600,
}

interface CorsFormProps {
  vault: number
  rules: CorsRule[]
  barred: string | null
}

export function CorsForm({ vault, rules, barred }: CorsFormProps) {
  const [typed, setTyped] = useState(rules.map(toCorsRuleInput))
  const [error, setError] = useState<string | null>(null)
  const { busy, run } = useApiCall()
  const change = (at: number, part: Partial<CorsRuleInput>) =>
    setTyped(typed.map((rule, index) => (index === at ? { ...rule, ...part } : rule)))

  const save = async () => {
    const cors = typed.map((rule) => ({
      ...rule,
      origins: splitList(rule.origins),
      headers: splitList(rule.headers),
      exposed: splitList(rule.exposed),
    }))
    const answer = await run('/vault/update', { id: vault, cors }, 'successes')
    const message = [...new Set(Object.values(answer.errors).flat())].join(' ')
    setError(answer.success ? null : message || answer.message)
  }

  return (
    <>
      {typed.map((rule, index) => (
        <div key={index} role="group" aria-label={`Rule ${index + 1}`} className={styles.rule}>
          <TextInput
            label="Origins"
            description="Web pages that may use the vault: https://example.com, https://*.example.com, or * for all"
            value={rule.origins}
            onChange={({ currentTarget: { value } }) => change(index, { origins: value })}
          />
          <MultiSelect
            label="Methods"
            description="Methods that pages may use"
            data={methods}
            value={rule.methods}
            onChange={(value) => change(index, { methods: value as CorsRule['methods'] })}
          />
          <TextInput
            label="Request headers"
            description="Headers that pages may send, such as Content-Type, or * for all"
            value={rule.headers}
            onChange={({ currentTarget: { value } }) => change(index, { headers: value })}
          />
          <TextInput
            label="Exposed headers"
            description="Response headers that pages may read"
            value={rule.exposed}
            onChange={({ currentTarget: { value } }) => change(index, { exposed: value })}
          />
          <NumberInput
            label="Cache time (seconds)"
            description="How long browsers cache the rule"
            min={0}
            max={86_400}
            allowDecimal={false}
            value={rule.max_age}
            onChange={(value) => change(index, { max_age: Number(value) || 0 })}
          />
          <footer>
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              onClick={() => setTyped(typed.filter((_rule, at) => at !== index))}
            >
              Remove rule
            </Button>
          </footer>
        </div>
      ))}
      {error && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      <Group gap="xs">
        <Button variant="default" onClick={() => setTyped([...typed, newRule])}>
          Add rule
        </Button>
        <ButtonWithDisabledReason
          variant="default"
          reason={barred}
          loading={busy !== null}
          onClick={() => void save()}
        >
          Save rules
        </ButtonWithDisabledReason>
      </Group>
    </>
  )
}
