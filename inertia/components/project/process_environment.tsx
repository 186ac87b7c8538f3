import { Alert, Button, Group, Textarea, TextInput } from '@mantine/core'
import { DisabledReason } from '@ui/disabled_reason'
import { FormFrame } from '@ui/form_frame'
import type { Environment } from './use_environment'
import styles from './project.module.css'

interface EnvironmentProps {
  environment: Environment
  /** why nothing can be changed */
  barred?: string | null
}

/** The variables that builds and processes of a project get, saved by a form of their own. */
export function ProcessEnvironment({ environment, barred = null }: EnvironmentProps) {
  const { errors, formError, busy, dirty, pasted, setPasted } = environment
  const isPasting = pasted !== null
  const save = isPasting ? environment.savePasted : environment.save

  return (
    <section className={styles.environment} aria-label="Environment variables">
      <FormFrame
        form={{ errors, formError, busy, submit: () => void save() }}
        submit={isPasting ? 'Save lines' : 'Save variables'}
        reason={barred ?? (isPasting || dirty ? null : 'No changes to save.')}
        onCancel={isPasting ? () => setPasted(null) : undefined}
        buttons="left"
        beside={!isPasting && <Ways environment={environment} barred={barred} />}
      >
        <Variables environment={environment} barred={barred} />
      </FormFrame>
    </section>
  )
}

/** The same within a form that saves them when it is sent. */
export function EnvironmentFields({ environment }: Pick<EnvironmentProps, 'environment'>) {
  const { formError, pasted, setPasted } = environment
  return (
    <section className={styles.environment} aria-label="Environment variables">
      <Variables environment={environment} barred={null} />
      {formError && (
        <Alert color="red" role="alert">
          {formError}
        </Alert>
      )}
      <Group gap="xs">
        {pasted === null ? (
          <Ways environment={environment} barred={null} />
        ) : (
          <Button size="xs" variant="default" onClick={() => setPasted(null)}>
            Cancel pasting
          </Button>
        )}
      </Group>
    </section>
  )
}

type PartProps = Required<EnvironmentProps>

/** Names, and values that are kept hidden. */
function Variables({ environment, barred }: PartProps) {
  const { variables, errors, pasted, setPasted } = environment
  return (
    <div className={styles.variables}>
      <header>
        <h3>Environment variables</h3>
        <p>
          Builds and processes of this project get these variables when they start. Values are
          stored encrypted and hidden. Showing a value is recorded in the activity log.
        </p>
      </header>
      {variables?.length === 0 && <p className={styles.calm}>No variables yet.</p>}
      {variables?.map(({ key, name, value, kept }, place) => {
        const label = name || `line ${place + 1}`
        const error = errors[`variables.${place}`]
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
                reason={barred ?? (kept && value === null ? null : 'The value is already shown.')}
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
          description="Variables with the same name are replaced. All others stay."
          placeholder={'DATABASE_URL=postgres://…\nSESSION_SECRET="…"'}
          value={pasted}
          rows={6}
          resize="vertical"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          classNames={{ input: 'mono' }}
          error={errors.dotenv}
          onChange={(event) => setPasted(event.currentTarget.value)}
        />
      )}
    </div>
  )
}

/** How there come to be more of them. */
function Ways({ environment, barred }: PartProps) {
  const { variables, dirty, add, setPasted } = environment
  return (
    <>
      <DisabledReason
        variant="default"
        reason={barred ?? (variables === null ? 'Loading variables…' : null)}
        onClick={add}
      >
        Add variable
      </DisabledReason>
      <DisabledReason
        variant="default"
        reason={barred ?? (dirty ? 'Save your changes first.' : null)}
        onClick={() => setPasted('')}
      >
        Paste .env
      </DisabledReason>
    </>
  )
}
