import { useEffect, useState } from 'react'
import { Button } from '@mantine/core'
import IconGitBranch from '@tabler/icons-react/dist/esm/icons/IconGitBranch.mjs'
import IconGitMerge from '@tabler/icons-react/dist/esm/icons/IconGitMerge.mjs'
import { DisabledReason } from '@ui/disabled_reason'
import { call } from '~/api_call'
import { reread } from '~/components/live/reread'
import { BranchMenu } from './branch_menu'
import { CloneDialog } from './clone_dialog'
import { ConflictsDialog } from './conflicts_dialog'
import { placeData, type GitInfo, type GitPlace } from './types'
import styles from './git.module.css'

interface GitControlsProps extends GitPlace {
  /** after the files of the folder have changed; what changes on the page is read anew unless told */
  onChange?: () => void
}

type State = { place: string; git?: GitInfo | null; reason?: string }

/** Git for a folder: its branches where it is a repository, else the way to clone one into it. */
export function GitControls(props: GitControlsProps) {
  const { path, serverInstanceId, projectId, onChange } = props
  const [state, setState] = useState<State | null>(null)
  const [changes, setChanges] = useState(0)
  const [cloning, setCloning] = useState(false)
  const [solving, setSolving] = useState(false)
  const place = JSON.stringify([path, serverInstanceId, projectId])

  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const load = async () => {
      const { success, message, data } = await call<{ git: GitInfo | null }>('/git/details', {
        method: 'GET',
        data: placeData({ path, serverInstanceId, projectId }),
        signal,
        toasts: 'none',
      })
      if (signal.aborted) return
      setState({ place, ...(success && data ? { git: data.git } : { reason: message }) })
    }
    void load()
    return () => leaving.abort()
  }, [path, serverInstanceId, projectId, place, changes])

  const changed = () => {
    setChanges((count) => count + 1)
    if (onChange) onChange()
    else reread()
  }

  // What is known of another folder is not shown for this one.
  const known = state?.place === place ? state : null
  const clone = () => setCloning(true)
  return (
    <div className={styles.controls} aria-busy={!known}>
      {known?.git && (
        <BranchMenu
          git={known.git}
          place={props}
          onChange={changed}
          onClone={clone}
          onSolve={() => setSolving(true)}
        />
      )}
      {known?.git?.merging && (
        <Button
          variant="default"
          leftSection={<IconGitMerge size={16} color="var(--mantine-color-orange-6)" />}
          onClick={() => setSolving(true)}
        >
          Merge in progress
        </Button>
      )}
      {known?.git === null && (
        <Button variant="default" leftSection={<IconGitBranch size={16} />} onClick={clone}>
          Clone
        </Button>
      )}
      {known?.reason && (
        <DisabledReason
          variant="default"
          leftSection={<IconGitBranch size={16} />}
          reason={known.reason}
        >
          Git
        </DisabledReason>
      )}
      <ConflictsDialog
        opened={solving}
        place={props}
        current={known?.git?.branches.current ?? ''}
        onClose={() => setSolving(false)}
        onChange={changed}
      />
      <CloneDialog
        opened={cloning}
        place={props}
        onClose={() => setCloning(false)}
        onDone={changed}
      />
    </div>
  )
}
