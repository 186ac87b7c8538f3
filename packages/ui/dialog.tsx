import {
  createContext,
  use,
  useCallback,
  useEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { Button, Group, Modal, Text } from '@mantine/core'

/** Sets the function that checks whether the dialog contains unsaved input. Null removes it. */
type Watch = (hasTyped: (() => boolean) | null) => void

const WatchContext = createContext<Watch | null>(null)

interface DialogProps {
  opened: boolean
  title: ReactNode
  size?: number | string
  className?: string
  onClose: () => void
  children: ReactNode
}

/** Asks for confirmation before Escape, the close button or a click outside closes a dialog with unsaved input. */
export function Dialog({ opened, title, size, className, onClose, children }: DialogProps) {
  const hasTyped = useRef<(() => boolean) | null>(null)
  const watch = useCallback<Watch>((how) => {
    hasTyped.current = how
  }, [])
  const [asking, ask] = useState(false)
  const close = () => {
    if (asking) ask(false)
    else if (hasTyped.current?.()) ask(true)
    else onClose()
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size={size}
      classNames={{ content: className }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <WatchContext value={watch}>
        <div hidden={asking}>{children}</div>
      </WatchContext>
      {asking && (
        <div role="alertdialog" aria-label="Discard your changes?">
          <Text>Your changes are not saved.</Text>
          <Group justify="flex-end" gap="xs" mt="lg">
            <Button variant="default" autoFocus onClick={() => ask(false)}>
              Keep editing
            </Button>
            <Button
              color="red"
              onClick={() => {
                ask(false)
                onClose()
              }}
            >
              Discard
            </Button>
          </Group>
        </div>
      )}
    </Modal>
  )
}

/** Makes the surrounding dialog ask before it discards the form's input. */
export function useDialogCloseGuard(form: RefObject<HTMLFormElement | null>) {
  const watch = use(WatchContext)
  useEffect(() => {
    const element = form.current
    if (!watch || !element) return
    const before = typedInto(element)
    watch(() => typedInto(element) !== before)
    return () => watch(null)
  }, [watch, form])
}

function typedInto(form: HTMLFormElement): string {
  return JSON.stringify([...new FormData(form)].map(([name, value]) => [name, String(value)]))
}
