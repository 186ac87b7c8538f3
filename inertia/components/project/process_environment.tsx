import { Alert, Button, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import type { EnvironmentEditor } from './use_environment_editor'
import styles from './project.module.css'

interface EnvironmentEditorProps {
  environment: EnvironmentEditor
  barred?: string | null
}

export function ProcessEnvironment({ environment, barred = null }: EnvironmentEditorProps) {
  const { errors, formError, busy, dirty, pasted, startPasting } = environment
  const isPasting = pasted !== null
  const save = isPasting ? environment.savePasted : environment.save

  return (
    <section className={styles.environment} aria-label="Environment variables">
      <FormFrame
        form={{ errors, formError, busy, submit: () => void save() }}
        submit={isPasting ? 'Save pasted lines' : 'Save variables'}
        reason={barred ?? (isPasting || dirty ? null : 'No changes to save.')}
        onCancel={isPasting ? () => startPasting(null) : undefined}
        buttons="left"
        aside={!isPasting && <AddVariableButtons environment={environment} barred={barred} />}
      >
        <VariableList environment={environment} barred={barred} />
      </FormFrame>
    </section>
  )
}

/** Shows fields for environment variables inside another form. Submitting that form saves the variables. */
export function EnvironmentFields({ environment }: Pick<EnvironmentEditorProps, 'environment'>) {
  const { formError, pasted, startPasting } = environment
  return (
    <section className={styles.environment} aria-label="Environment variables">
      <VariableList environment={environment} barred={null} />
      {formError && (
        <Alert color="red" role="alert">
          {formError}
        </Alert>
      )}
      <Group gap="xs">
        {pasted === null ? (
          <AddVariableButtons environment={environment} barred={null} />
        ) : (
          <Button size="xs" variant="default" onClick={() => startPasting(null)}>
            Cancel pasting
          </Button>
        )}
      </Group>
    </section>
  )
}

type EnvironmentPartProps = Required<EnvironmentEditorProps>

function VariableList({ environment, barred }: EnvironmentPartProps) {
  const { variables, errors, pasted, setPasted, replace, setReplace } = environment
  return (
    <div className={styles.variables}>
      <header>
        <h3>Environment variables</h3>
        <p>
          Builds and processes of this project get these variables when they start. Values are
          stored encrypted and hidden. When somebody shows a value, the activity log records it.
        </p>
      </header>
      {variables?.length === 0 && <p className={styles.calm}>No variables yet.</p>}
      {variables?.map(({ key, name, value, isSaved }, index) => {
        const label = name || `line ${index + 1}`
        const error = errors[`variables.${index}`]
        return (
          <div key={key} className={styles.variable}>
            <TextInput
              aria-label={`Name of variable ${index + 1}`}
              placeholder="NAME"
              value={name}
              readOnly={isSaved || barred !== null}
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
              <ButtonWithDisabledReason
                size="compact-sm"
                variant="subtle"
                reason={
                  barred ?? (isSaved && value === null ? null : 'The value is already shown.')
                }
                aria-label={`Show ${label}`}
                onClick={() => void environment.reveal(key, name)}
              >
                Show
              </ButtonWithDisabledReason>
              <ButtonWithDisabledReason
                size="compact-sm"
                variant="subtle"
                color="red"
                reason={barred}
                aria-label={`Remove ${label}`}
                onClick={() => environment.remove(key)}
              >
                Remove
              </ButtonWithDisabledReason>
            </Group>
          </div>
        )
      })}
      {pasted !== null && (
        <>
          <Textarea
            label="Lines of a .env file"
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
          <Radio.Group
            label="Existing variables"
            value={replace ? 'replace' : 'add'}
            onChange={(choice) => setReplace(choice === 'replace')}
          >
            <Stack gap={8} mt={6}>
              <Radio
                value="add"
                label="Add to the existing variables"
                description="Variables with the same name get the new value. All others stay."
              />
              <Radio
                value="replace"
                label="Replace all"
                description="Variables that are not in these lines are removed."
              />
            </Stack>
          </Radio.Group>
        </>
      )}
    </div>
  )
}

function AddVariableButtons({ environment, barred }: EnvironmentPartProps) {
  const { variables, dirty, add, startPasting } = environment
  return (
    <>
      <ButtonWithDisabledReason
        variant="default"
        reason={barred ?? (variables === null ? 'Loading variables…' : null)}
        onClick={add}
      >
        Add variable
      </ButtonWithDisabledReason>
      <ButtonWithDisabledReason
        variant="default"
        reason={barred ?? (dirty ? 'Save your changes first.' : null)}
        onClick={() => startPasting('')}
      >
        Paste .env
      </ButtonWithDisabledReason>
    </>
  )
}
