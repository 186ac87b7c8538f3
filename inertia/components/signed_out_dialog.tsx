import { useEffect } from 'react'
import { router, usePage } from '@inertiajs/react'
import { Button, Group, Modal, Text } from '@mantine/core'
import { prefixForArea } from '~/area_prefix'
import { checkSignedOut, isSignedOut, registerSignedOutDialog, useSignedOut } from '~/signed_out'
import type { SharedProps } from '~/types'

/**
 * Interval of session checks while the person is signed out. Only the statuses 200 and 401 decide; after any other,
 * such as 503, the next check decides.
 */
const CHECK_INTERVAL_MS = 10_000

/**
 * Covers the page of a person whose session has ended. The page itself stays, so that unsaved text is still there after
 * the person signed in in another tab.
 */
export function SignedOutDialog() {
  const { props, url } = usePage<SharedProps>()
  const { area, user } = props
  const signedOut = useSignedOut()
  const person = user?.id
  const prefix = prefixForArea(area)
  // The URL of a dashboard shows another page to signed-out people. The link then leads to the sign-in page instead.
  const path = url.split('#')[0]
  const href = path.split('?')[0] === (prefix || '/') ? `${prefix}/login` : path

  useEffect(() => (person === undefined ? undefined : registerSignedOutDialog()), [person])
  useEffect(() => {
    if (!signedOut || person === undefined) return
    const check = async () => {
      if (document.hidden || !isSignedOut()) return
      await checkSignedOut(area, person)
      if (isSignedOut()) return
      router.reload({
        onSuccess: ({ props: now }) => {
          if ((now as Partial<SharedProps>).user?.id !== person) window.location.reload()
        },
      })
    }
    document.addEventListener('visibilitychange', check)
    window.addEventListener('focus', check)
    const timer = window.setInterval(check, CHECK_INTERVAL_MS)
    return () => {
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', check)
      window.removeEventListener('focus', check)
    }
  }, [signedOut, area, person])

  return (
    <Modal
      opened={signedOut && person !== undefined}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="You were signed out"
      zIndex={400}
      overlayProps={{ backgroundOpacity: 0.7, blur: 12 }}
    >
      {/* The dialog may open while the person types. An Enter that the person then presses must not leave the page. */}
      <Text tabIndex={-1} data-autofocus style={{ outline: 'none' }}>
        Sign in to continue. To keep text that you have not saved on this page, sign in in a new tab
        and return to this one.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button component="a" variant="default" href={href} target="_blank" rel="noopener">
          Sign in in a new tab
        </Button>
        <Button component="a" href={href}>
          Sign in
        </Button>
      </Group>
    </Modal>
  )
}
