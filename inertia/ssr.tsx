import type { ComponentType } from 'react'
import { renderToString } from 'react-dom/server'
import type { Page } from '@inertiajs/core'
import { createInertiaApp } from '@inertiajs/react'
import { chooseLayout } from '~/layouts/choose'
import { Root } from '~/root'
import { windowTitle } from '~/title'
import type { SharedProps } from '~/types'

const pages = import.meta.glob<{ default: ComponentType }>(
  ['./pages/**/*.tsx', '!./pages/**/*.test.tsx'],
  {
    eager: true,
  }
)

/** Renders a page on the server: `{ head, body }`. */
export default function render(page: Page<SharedProps>) {
  return createInertiaApp<SharedProps>({
    page,
    render: renderToString,
    title: windowTitle,
    layout: chooseLayout,
    resolve: (name) => {
      const found = pages[`./pages/${name}.tsx`]
      if (!found) throw new Error(`No page named "${name}"`)
      return found.default
    },
    setup: ({ App, props }) => (
      <Root colorScheme={page.props.colorScheme}>
        <App {...props} />
      </Root>
    ),
  })
}
