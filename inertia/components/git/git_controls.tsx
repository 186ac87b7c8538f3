import { useEffect, useState } from 'react'
import { Button } from '@mantine/core'
import IconGitBranch from '@tabler/icons-react/dist/esm/icons/IconGitBranch.mjs'
import IconGitMerge from '@tabler/icons-react/dist/esm/icons/IconGitMerge.mjs'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { call } from '~/api_call'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { BranchMenu } from './branch_menu'
import { CloneDialog } from './clone_dialog'
import { ConflictsDialog } from './conflicts_dialog'
import { gitFolderParams, type GitInfo, type GitFolder } from './types'
import styles from './git.module.css'

interface GitControlsProps extends GitFolder {
  /** Called after a change. Default: reloads the props that may have changed. */
  onChange?: () => void
}

type LoadedGit = { folderKey: string; git?: GitInfo | null; reason?: string }

export function GitControls(props: GitControlsProps) {
  const { path, serverInstanceId, projectId, onChange } = props
  const [state, setState] = useState<LoadedGit | null>(null)
  const [changes, setChanges] = useState(0)
  const [cloning, setCloning] = useState(false)
  const [solving, setSolving] = useState(false)
  const folderKey = JSON.stringify([path, serverInstanceId, projectId])

  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    const load = async () => {
      const { success, message, data } = await call<{ git: GitInfo | null }>('/git/details', {
        method: 'GET',
        data: gitFolderParams({ path, serverInstanceId, projectId }),
        signal,
        toasts: 'none',
      })
      if (signal.aborted) return
      setState({ folderKey, ...(success && data ? { git: data.git } : { reason: message }) })
    }
    void load()
    return () => leaving.abort()
  }, [path, serverInstanceId, projectId, folderKey, changes])

  const changed = () => {
    setChanges((count) => count + 1)
    if (onChange) onChange()
    else reloadChangingProps()
  }

  // If the state was loaded for another folder, it must not be shown.
  const known = state?.folderKey === folderKey ? state : null
  const clone = () => setCloning(true)
  return (
    <div className={styles.controls} aria-busy={!known}>
      {known?.git && (
        <BranchMenu
          git={known.git}
          folder={props}
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
        <ButtonWithDisabledReason
          variant="default"
          leftSection={<IconGitBranch size={16} />}
          reason={known.reason}
        >
          Git
        </ButtonWithDisabledReason>
      )}
      <ConflictsDialog
        opened={solving}
        folder={props}
        current={known?.git?.branches.current ?? ''}
        onClose={() => setSolving(false)}
        onChange={changed}
      />
      <CloneDialog
        opened={cloning}
        folder={props}
        onClose={() => setCloning(false)}
        onDone={changed}
      />
    </div>
  )
}
