import { useEffect, useState } from 'react'
import type { AreaPrefix } from '~/area_prefix'
import { call } from '~/api_call'
import { noErrors, type FormErrors } from '~/components/form/form_errors'

/** `value` is null if the browser has not loaded it from Berth. */
export interface EnvironmentVariable {
  key: number
  name: string
  value: string | null
  /** Whether Berth has already stored a variable with this name. */
  isSaved: boolean
}

let nextKey = 0

/**
 * Assigns the server's errors to the variables and to the field for a pasted `.env` file. Joins all other errors to
 * `formError`, which is the message if there are no errors at all.
 */
function assignVariableErrors(errors: Record<string, string[]>, message: string): FormErrors {
  const entries = Object.entries(errors)
  const at = entries.filter(([name]) => name === 'dotenv' || name.startsWith('variables.'))
  const rest = entries.filter((entry) => !at.includes(entry)).flatMap(([, messages]) => messages)
  const formError = rest.length ? rest.join(' ') : at.length ? null : message
  return {
    errors: Object.fromEntries(at.map(([name, [firstMessage]]) => [name, firstMessage!])),
    formError,
  }
}

function savedVariables(names: string[]): EnvironmentVariable[] {
  return names.map((name) => ({ key: nextKey++, name, value: null, isSaved: true }))
}

export function useEnvironmentEditor(base: `${AreaPrefix}/project/pm2`, projectId: number) {
  const path = `${base}/environment` as const
  const [variables, setVariables] = useState<EnvironmentVariable[] | null>(null)
  const [placed, setPlaced] = useState(noErrors)
  const [dirty, setDirty] = useState(false)
  const [busy, setBusy] = useState(false)
  const [pasted, setPasted] = useState<string | null>(null)
  const [replace, setReplace] = useState(false)

  useEffect(() => {
    const leaving = new AbortController()
    const look = async () => {
      const answer = await call<{ variables: string[] }>(`${path}?project_id=${projectId}`, {
        signal: leaving.signal,
        toasts: 'none',
      })
      if (answer.success && answer.data) setVariables(savedVariables(answer.data.variables))
      else if (!leaving.signal.aborted) setPlaced(assignVariableErrors({}, answer.message))
    }
    void look()
    return () => leaving.abort()
  }, [path, projectId])

  const change = (next: EnvironmentVariable[]) => {
    setVariables(next)
    setDirty(true)
    setPlaced(noErrors)
  }

  const send = async (data: Record<string, unknown>): Promise<boolean> => {
    setBusy(true)
    const answer = await call<{ variables: string[] }>(path, {
      data: { project_id: projectId, ...data },
      toasts: 'successes',
    })
    setBusy(false)
    setPlaced(answer.success ? noErrors : assignVariableErrors(answer.errors, answer.message))
    if (!answer.success || !answer.data) return false
    setVariables(savedVariables(answer.data.variables))
    setDirty(false)
    return true
  }

  const save = () =>
    send({
      variables: (variables ?? []).map(({ name, value }) =>
        value === null ? { name } : { name, value }
      ),
    })

  /** Opens the field for a pasted `.env` file with this text. `null` closes it. */
  const startPasting = (text: string | null) => {
    setPasted(text)
    setReplace(false)
  }

  const savePasted = async () => {
    // Berth merges pasted lines with the stored variables, so changes in the editor must be saved first.
    const isMergeable = replace || !dirty || (await save())
    const isSaved = isMergeable && (await send({ dotenv: pasted, replace }))
    if (isSaved) startPasting(null)
    return isSaved
  }

  return {
    variables,
    ...placed,
    dirty,
    busy,
    add: () =>
      change([...(variables ?? []), { key: nextKey++, name: '', value: '', isSaved: false }]),
    remove: (key: number) => change((variables ?? []).filter((one) => one.key !== key)),
    edit: (key: number, part: Partial<Pick<EnvironmentVariable, 'name' | 'value'>>) =>
      change((variables ?? []).map((one) => (one.key === key ? { ...one, ...part } : one))),
    /** The server records each revealed value in the audit log. */
    reveal: async (key: number, name: string) => {
      const answer = await call<{ value: string }>(`${path}/reveal`, {
        data: { project_id: projectId, name },
        toasts: 'failures',
      })
      const { value } = answer.data ?? {}
      if (value === undefined) return
      setVariables((all) => all && all.map((one) => (one.key === key ? { ...one, value } : one)))
    },
    pasted,
    setPasted,
    startPasting,
    replace,
    setReplace,
    save,
    savePasted,
    /** Saves pasted or typed changes. Returns false if some changes could not be saved. */
    settle: async () => (pasted?.trim() ? savePasted() : !dirty || save()),
  }
}

export type EnvironmentEditor = ReturnType<typeof useEnvironmentEditor>
