import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { Head, router, usePage } from '@inertiajs/react'
import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { EmptyState } from '@ui/empty_state'
import { PageHeader } from '@ui/page_header'
import { call } from '~/api_call'
import {
  downloadHref,
  fileManagerHref,
  folderHref,
  displayNameOf,
  parentPath,
} from '~/components/file_manager/paths_and_links'
import { Breadcrumb } from '~/components/file_manager/breadcrumb'
import { encodingLabel } from '~/components/file_manager/encoding_label'
import { FixOwnershipDialog } from '~/components/file_manager/fix_ownership_dialog'
import { lineEndingLabel } from '~/components/file_manager/line_endings'
import type { FilePage } from '~/components/file_manager/types'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'
import styles from './file.module.css'

const TextEditor = lazy(() => import('~/components/file_manager/text_editor'))
const TextDiff = lazy(async () => ({
  default: (await import('~/components/file_manager/text_editor')).TextDiff,
}))

const subscribeNever = () => () => {}

/** The editor cannot be rendered on the server. */
function useIsBrowser() {
  return useSyncExternalStore(
    subscribeNever,
    () => true,
    () => false
  )
}

const UNSAVED_CHANGES_MESSAGE = 'You have unsaved changes. Leave this page without saving?'

/** If the text has unsaved changes, asks before the person leaves the page. */
function useLeaveGuard(dirty: boolean) {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    const off = router.on('before', ({ detail: { visit } }) => {
      if (visit.prefetch || visit.url.href === window.location.href) return
      return window.confirm(UNSAVED_CHANGES_MESSAGE)
    })
    return () => {
      window.removeEventListener('beforeunload', ask)
      off()
    }
  }, [dirty])
}

export default function FileManagerFile(props: FilePage) {
  const { area, path, serverInstanceId: instance, problem } = props
  const [saved, setSaved] = useState({
    text: props.content ?? '',
    version: props.fileVersion,
    encoding: props.encoding ?? 'utf-8',
  })
  const [text, setText] = useState(saved.text)
  const [showing, setShowing] = useState<'text' | 'changes'>('text')
  const ready = useIsBrowser()
  const [busy, setBusy] = useState(false)
  const [conflict, setConflict] = useState(false)
  /** Message that the file's encoding cannot represent the text; null if it can. */
  const [unheld, setUnheld] = useState<string | null>(null)
  const dirty = text !== saved.text
  const name = displayNameOf(path)
  const parent = folderHref(parentPath(path), instance, area)
  const { unavailable } = usePage<SharedProps>().props
  const barred = unavailable?.['instances.change'] ?? null
  useLeaveGuard(dirty)

  const [fixing, setFixing] = useState(false)

  const save = async (force = false, encoding = saved.encoding) => {
    if (busy || barred) return
    setBusy(true)
    const sent = text
    const { status, success, data, code, message } = await call<{ version: string }>(
      `${fileManagerHref(area)}/update-file`,
      {
        data: {
          path,
          content: sent,
          encoding,
          server_instance_id: instance,
          ...(!force && saved.version && { version: saved.version }),
        },
      }
    )
    setBusy(false)
    setUnheld(code === 'encoding' ? message : null)
    setConflict(status === 409)
    // Another program changed the file. The person's text stays in the editor, and `content` becomes the file's new
    // text.
    if (code === 'changed_meanwhile') router.reload({ only: ['content'] })
    setFixing(status === 403)
    if (success && data) setSaved({ text: sent, version: data.version, encoding })
  }

  const shown = problem === null
  return (
    <>
      <Head title={`${name} - File Manager`} />
      <PageHeader
        title={name}
        aside={shown && <span className={styles.state}>{dirty ? 'Not saved' : 'Saved'}</span>}
        action={
          <>
            {shown && (
              <>
                <Button
                  variant="default"
                  aria-pressed={showing === 'changes'}
                  onClick={() => setShowing(showing === 'text' ? 'changes' : 'text')}
                >
                  {showing === 'text' ? 'Changes' : 'Back to text'}
                </Button>
                <ButtonWithDisabledReason
                  loading={busy}
                  reason={barred ?? (dirty ? null : 'No changes to save.')}
                  onClick={() => save()}
                >
                  Save
                </ButtonWithDisabledReason>
              </>
            )}
            <Button variant="default" onClick={() => visit(parent)}>
              Close
            </Button>
          </>
        }
      >
        <div className={styles.facts}>
          <Breadcrumb path={path} instance={instance} area={area} />
          {shown && (
            <span className={styles.ends}>
              {encodingLabel(saved.encoding, text)}, {lineEndingLabel(text)}
            </span>
          )}
        </div>
      </PageHeader>

      {!shown ? (
        <EmptyState
          title="This file cannot be shown"
          hint={problem}
          action={
            props.isDenied ? (
              <ButtonWithDisabledReason reason={barred} onClick={() => setFixing(true)}>
                Fix ownership
              </ButtonWithDisabledReason>
            ) : (
              <Button component="a" href={downloadHref(path, instance, area)} download={name}>
                Download
              </Button>
            )
          }
        />
      ) : (
        <Suspense fallback={<div className={styles.loading} />}>
          {ready && (
            <div hidden={showing !== 'text'}>
              <TextEditor
                name={name}
                content={saved.text}
                onChange={setText}
                onSave={() => save()}
              />
            </div>
          )}
          {showing === 'changes' && (
            <>
              <p className={styles.legend}>
                <span className={styles.removed}>Removed</span>
                <span className={styles.added}>Added</span>
              </p>
              <TextDiff name={name} before={saved.text} after={text} />
            </>
          )}
          {!ready && <div className={styles.loading} />}
        </Suspense>
      )}

      <FixOwnershipDialog
        opened={fixing}
        instance={instance}
        area={area}
        onClose={() => setFixing(false)}
        onDone={() => (shown ? void save() : window.location.reload())}
      />
      <Dialog opened={conflict} onClose={() => setConflict(false)} title="The file has changed">
        <Text>
          {`${name} was changed on the server instance after you opened it. Your text is still here. Overwrite the file with your text, or load the changed file and lose your text?`}
        </Text>
        {conflict && props.content !== null && (
          <Suspense fallback={null}>
            <p className={styles.legend}>
              <span className={styles.removed}>Only in the changed file</span>
              <span className={styles.added}>Only in your text</span>
            </p>
            <TextDiff name={name} before={props.content} after={text} compact />
          </Suspense>
        )}
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={() => setConflict(false)} data-autofocus>
            Keep editing
          </Button>
          <Button variant="default" onClick={() => window.location.reload()}>
            Load changed file
          </Button>
          <Button color="red" loading={busy} onClick={() => save(true)}>
            Overwrite file
          </Button>
        </Group>
      </Dialog>
      <Dialog
        opened={unheld !== null}
        onClose={() => setUnheld(null)}
        title="Some characters cannot be saved"
      >
        <Text>{unheld}</Text>
        <Group justify="flex-end" gap="xs" mt="lg">
          <Button variant="default" onClick={() => setUnheld(null)} data-autofocus>
            Keep editing
          </Button>
          <Button loading={busy} onClick={() => save(false, 'utf-8')}>
            Save as UTF-8
          </Button>
        </Group>
      </Dialog>
    </>
  )
}
