import { useEffect } from 'react'
import { router, usePage } from '@inertiajs/react'
import { Button, Group, Modal, Text } from '@mantine/core'
import { prefixForArea } from '~/area_prefix'
import { checkSignedOut, isSignedOut, registerSignedOutDialog, useSignedOut } from '~/signed_out'
import type { SharedProps } from '~/types'

/**
 * Covers the page of a person whose session ended elsewhere. The page stays, so that unsaved text
 * is still there after a sign-in in another tab.
 */
export function SignedOutDialog() {
  const { props, url } = usePage<SharedProps>()
  const { area, user } = props
  const signedOut = useSignedOut()
  const person = user?.id
  const prefix = prefixForArea(area)
  // The dashboards' addresses have another page for signed-out people.
  const path = url.split('#')[0]
  const href = path.split('?')[0] === (prefix || '/') ? `${prefix}/login` : path

  useEffect(() => (person === undefined ? undefined : registerSignedOutDialog()), [person])
  useEffect(() => {
    if (!signedOut) return
    const check = async () => {
      if (document.hidden || !isSignedOut()) return
      await checkSignedOut(area)
      if (isSignedOut()) return
      router.reload({
        onSuccess: ({ props: now }) => {
          if ((now as Partial<SharedProps>).user?.id !== person) window.location.reload()
        },
      })
    }
    document.addEventListener('visibilitychange', check)
    window.addEventListener('focus', check)
    return () => {
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
      <Text>
        Sign in to continue. To keep text that you have not saved on this page, sign in in a new tab
        and return to this one.
      </Text>
      <Group justify="flex-end" gap="xs" mt="lg">
        <Button component="a" variant="default" href={href} target="_blank">
          Sign in in a new tab
        </Button>
        <Button component="a" href={href} data-autofocus>
          Sign in
        </Button>
      </Group>
    </Modal>
  )
}
