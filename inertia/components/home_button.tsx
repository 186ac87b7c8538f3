import { usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { Link } from '~/components/link'
import type { WithSharedProps } from '~/types'

export function HomeButton({ variant }: { variant?: 'default' }) {
  const { area, user } = usePage<Partial<WithSharedProps>>().props
  return (
    <Button component={Link} href={area === 'admin' ? '/admin' : '/'} variant={variant}>
      {user || area === 'admin' ? 'Go to the dashboard' : 'Go to the home page'}
    </Button>
  )
}
