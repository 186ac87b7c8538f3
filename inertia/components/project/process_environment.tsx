import { Button, Group, Textarea, TextInput } from '@mantine/core'
import { DisabledReason } from '@ui/disabled_reason'
import type { Environment } from './use_environment'
import styles from './project.module.css'

interface ProcessEnvironmentProps {
  environment: Environment
  /** why nothing can be changed */
  barred?: string | null
}

/** The variables that builds and processes of a project get: names, and values that are kept hidden. */
export function ProcessEnvironment({ environment, barred = null }: ProcessEnvironmentProps) {
  const { variables, errors, dirty, busy, pasted, setPasted } = environment

  return (
    <section className={styles.environment} aria-label="Environment variables">
      <header>
        <h3>Environment variables</h3>
        <p>
          Builds and processes of this project get them when they start. Values are kept encrypted
          and are not shown again unless you ask; that is in the log.
        </p>
      </header>
      {errors.variables && (
        <p className={styles.reason} role="alert">
          {errors.variables[0]}
        </p>
      )}
      {variables?.length === 0 && <p className={styles.calm}>None yet.</p>}
      {variables?.map(({ key, name, value, kept }, place) => {
        const label = name || `line ${place + 1}`
        const error = errors[`variables.${place}`]?.[0]
        return (
          <div key={key} className={styles.variable}>
            <TextInput
              aria-label={`Name of variable ${place + 1}`}
              placeholder="NAME"
              value={name}
              readOnly={kept || barred !== null}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              error={error}
              classNames={{ input: 'mono' }}
              onChange={(event) => environment.edit(key, { name: event.currentTarget.value })}
            />
            <Textarea
              aria-label={`Value of ${label}`}
              placeholder={value === null ? '•••••••• (unchanged)' : 'value'}
              value={value ?? ''}
              readOnly={barred !== null}
              rows={value?.includes('\n') ? 4 : 1}
              resize="vertical"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              classNames={{ input: 'mono' }}
              onChange={(event) => environment.edit(key, { value: event.currentTarget.value })}
            />
            <Group gap={4} wrap="nowrap">
              <DisabledReason
                size="compact-sm"
                variant="subtle"
                reason={barred ?? (kept && value === null ? null : 'Its value is shown already.')}
                aria-label={`Show ${label}`}
                onClick={() => void environment.reveal(key, name)}
              >
                Show
              </DisabledReason>
              <DisabledReason
                size="compact-sm"
                variant="subtle"
                color="red"
                reason={barred}
                aria-label={`Remove ${label}`}
                onClick={() => environment.remove(key)}
              >
                Remove
              </DisabledReason>
            </Group>
          </div>
        )
      })}
      {pasted !== null && (
        <Textarea
          label="Lines of a .env file"
          description="What has the same name is replaced; everything else stays."
          placeholder={'DATABASE_URL=postgres://…\nSESSION_SECRET="…"'}
          value={pasted}
          rows={6}
          resize="vertical"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          classNames={{ input: 'mono' }}
          error={errors.dotenv?.[0]}
          onChange={(event) => setPasted(event.currentTarget.value)}
        />
      )}
      <Group gap="xs">
        {pasted === null ? (
          <>
            <DisabledReason
              size="xs"
              variant="default"
              reason={barred ?? (variables === null ? 'They are being fetched.' : null)}
              onClick={environment.add}
            >
              Add variable
            </DisabledReason>
            <DisabledReason
              size="xs"
              variant="default"
              reason={barred ?? (dirty ? 'Save what you changed first.' : null)}
              onClick={() => setPasted('')}
            >
              Paste .env
            </DisabledReason>
            <DisabledReason
              size="xs"
              loading={busy}
              reason={barred ?? (dirty ? null : 'Nothing was changed.')}
              onClick={() => void environment.save()}
            >
              Save variables
            </DisabledReason>
          </>
        ) : (
          <>
            <Button size="xs" loading={busy} onClick={() => void environment.savePasted()}>
              Save these lines
            </Button>
            <Button size="xs" variant="default" onClick={() => setPasted(null)}>
              Cancel
            </Button>
          </>
        )}
      </Group>
    </section>
  )
}
