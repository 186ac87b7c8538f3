import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import type { PageHref } from '#core/page_addresses'
import { Link } from '~/components/link'

interface LinkButtonProps extends ButtonProps {
  href: PageHref
  children: ReactNode
  'aria-label'?: string
}

export function LinkButton({ href, children, ...rest }: LinkButtonProps) {
  return (
    <Button
      {...rest}
      renderRoot={(props: Record<string, unknown>) => <Link href={href} {...props} />}
    >
      {children}
    </Button>
  )
}
