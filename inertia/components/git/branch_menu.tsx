import { useState } from 'react'
import { Button, Menu, TextInput } from '@mantine/core'
import IconArrowLeft from '@tabler/icons-react/dist/esm/icons/IconArrowLeft.mjs'
import IconCheck from '@tabler/icons-react/dist/esm/icons/IconCheck.mjs'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs'
import IconGitBranch from '@tabler/icons-react/dist/esm/icons/IconGitBranch.mjs'
import { ConfirmDialog, DangerDialog } from '@ui/confirm_dialog'
import { notify } from '@ui/notify'
import type { NonGetRoutePath } from '#core/page_addresses'
import { call } from '~/api_call'
import { branchActions, branchesFromGitInfo, type Branch, type BranchAction } from './branches'
import { gitFolderParams, type GitInfo, type GitFolder } from './types'
import styles from './git.module.css'

const MIN_SEARCHABLE_BRANCHES = 8

const actionPaths: Record<BranchAction, NonGetRoutePath> = {
  checkout: '/git/checkout',
  merge: '/git/update-branch',
  pull: '/git/update-branch',
  delete: '/git/delete-branch',
}

function actionLabel(action: BranchAction, current: string) {
  switch (action) {
    case 'checkout':
      return 'Check out'
    case 'merge':
      return `Merge into ${current}`
    case 'pull':
      return `Pull into ${current}`
    case 'delete':
      return 'Delete'
  }
}

interface BranchMenuProps {
  git: GitInfo
  folder: GitFolder
  onChange: () => void
  onClone: () => void
  /** Opens the dialog that resolves the conflicts of an unfinished merge. */
  onSolve: () => void
}

/** A failed action whose cause the person can fix. `label` is the error message, which the dialog shows. */
interface SuggestedFix {
  kind: 'locked' | 'merge_conflict'
  label: string
  action: BranchAction
  branch: Branch
}

export function BranchMenu({ git, folder, onChange, onClone, onSolve }: BranchMenuProps) {
  const [opened, setOpened] = useState(false)
  const [selected, setSelected] = useState<Branch | null>(null)
  const [deleting, setDeleting] = useState<Branch | null>(null)
  const [offer, setOffer] = useState<SuggestedFix | null>(null)
  const [busy, setBusy] = useState(false)
  const { current } = git.branches

  const toggle = (open: boolean) => {
    setOpened(open)
    if (open) setSelected(null)
  }

  const send = (action: BranchAction, { name }: Branch, keepConflicts = false) => {
    const update = action === 'merge' || action === 'pull'
    return call(actionPaths[action], {
      data: {
        ...gitFolderParams(folder),
        branch: name,
        ...(update && { action }),
        ...(keepConflicts && { keep_conflicts: true }),
      },
      toasts: 'successes',
    })
  }

  const run = async (action: BranchAction, branch: Branch) => {
    setOpened(false)
    setBusy(true)
    const answer = await send(action, branch)
    setBusy(false)
    if (answer.success || answer.status === 404) onChange()
    const { code, message } = answer
    if (code === 'locked' || code === 'merge_conflict') {
      setDeleting(null)
      setOffer({ kind: code, label: message, action, branch })
    } else if (!answer.success && action !== 'delete') void notify(answer)
    return answer
  }

  const removeLock = () =>
    call('/git/remove-lock', { data: gitFolderParams(folder), toasts: 'successes' })

  const solve = async ({ action, branch }: SuggestedFix) => {
    const answer = await send(action, branch, true)
    if (answer.success) {
      onChange()
      onSolve()
    }
    return answer
  }

  const choose = (action: BranchAction, branch: Branch) => {
    if (action !== 'delete') return void run(action, branch)
    setOpened(false)
    setDeleting(branch)
  }

  return (
    <>
      <Menu opened={opened} onChange={toggle} width={300} position="bottom-end" withinPortal>
        <Menu.Target>
          <Button
            variant="default"
            className={styles.current}
            loading={busy}
            leftSection={<IconGitBranch size={16} />}
            rightSection={<IconChevronDown size={14} />}
            aria-label={`Branch ${current}`}
          >
            {current}
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Git branches">
          {selected ? (
            <BranchActions
              key={selected.name}
              branch={selected}
              current={current}
              merging={git.merging}
              onChoose={(action) => choose(action, selected)}
              onBack={() => setSelected(null)}
            />
          ) : (
            <BranchList git={git} onChoose={setSelected} onClone={onClone} />
          )}
        </Menu.Dropdown>
      </Menu>
      <DangerDialog
        opened={deleting !== null}
        question={`Sure to delete: ${deleting?.name ?? ''}`}
        confirm="Delete branch"
        busy={busy}
        onConfirm={async () => (deleting ? run('delete', deleting) : undefined)}
        onClose={() => setDeleting(null)}
      />
      <ConfirmDialog
        opened={offer?.kind === 'locked'}
        title="Git is locked"
        question={offer?.label}
        confirm="Remove the lock"
        onConfirm={removeLock}
        onClose={() => setOffer(null)}
      />
      <ConfirmDialog
        opened={offer?.kind === 'merge_conflict'}
        title="The merge has conflicts"
        question={offer?.label}
        confirm="Resolve conflicts"
        onConfirm={async () => (offer ? solve(offer) : undefined)}
        onClose={() => setOffer(null)}
      />
    </>
  )
}

interface BranchListProps {
  git: GitInfo
  onChoose: (branch: Branch) => void
  onClone: () => void
}

function BranchList({ git, onChoose, onClone }: BranchListProps) {
  const [search, setSearch] = useState('')
  const all = branchesFromGitInfo(git)
  const matches = all.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
  const groups = [null, ...Object.keys(git.branches.remotes)]
  return (
    <>
      {all.length >= MIN_SEARCHABLE_BRANCHES && (
        <TextInput
          m={4}
          data-autofocus
          aria-label="Search branches"
          placeholder="Search branches"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      <div className={styles.list}>
        {git.detached && <Menu.Label>No branch is checked out ({git.branches.current})</Menu.Label>}
        {groups.map((remote) => {
          const branches = matches.filter((branch) => branch.remote === remote)
          if (branches.length === 0) return null
          return (
            <div key={remote ?? ''} role="group" aria-label={remote ?? 'Local branches'}>
              <Menu.Label>{remote ?? 'Local branches'}</Menu.Label>
              {branches.map((branch) => (
                <Menu.Item
                  key={branch.name}
                  className={styles.branch}
                  closeMenuOnClick={false}
                  leftSection={<IconCheck size={14} opacity={branch.current ? 1 : 0} />}
                  rightSection={<IconChevronRight size={14} />}
                  onClick={() => onChoose(branch)}
                >
                  {branch.name}
                  {branch.current && <span className="visually-hidden"> (current)</span>}
                </Menu.Item>
              ))}
            </div>
          )
        })}
        {matches.length === 0 && <Menu.Label>No matching branches</Menu.Label>}
      </div>
      <Menu.Divider />
      <Menu.Item onClick={onClone}>Clone another repository</Menu.Item>
    </>
  )
}

interface BranchActionsProps {
  branch: Branch
  current: string
  merging: boolean
  onChoose: (action: BranchAction) => void
  onBack: () => void
}

function BranchActions({ branch, current, merging, onChoose, onBack }: BranchActionsProps) {
  return (
    <>
      <Menu.Item
        data-autofocus
        closeMenuOnClick={false}
        leftSection={<IconArrowLeft size={14} />}
        onClick={onBack}
      >
        All branches
      </Menu.Item>
      <Menu.Label className={styles.branch}>{branch.name}</Menu.Label>
      {branchActions(branch, merging).map(({ action, reason }) => (
        <Menu.Item
          key={action}
          color={action === 'delete' ? 'red' : undefined}
          disabled={reason !== null}
          title={reason ?? undefined}
          onClick={() => onChoose(action)}
        >
          {actionLabel(action, current)}
        </Menu.Item>
      ))}
    </>
  )
}
