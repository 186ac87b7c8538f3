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
export default async function render(page: Page<SharedProps>) {
  try {
    return await renderWith(page, find)
  } catch (error) {
    // The browser draws it then, where the page's boundary says in words what is wrong.
    // eslint-disable-next-line no-console -- there is no other log here
    console.error(error)
    const { head, body } = await renderWith(page, () => Blank)
    return { head, body: body.replace(' data-server-rendered="true"', '') }
  }
}

function find(name: string): ComponentType {
  const found = pages[`./pages/${name}.tsx`]
  if (!found) throw new Error(`No page named "${name}"`)
  return found.default
}

function Blank() {
  return null
}

function renderWith(page: Page<SharedProps>, resolve: (name: string) => ComponentType) {
  return createInertiaApp<SharedProps>({
    page,
    render: renderToString,
    title: windowTitle,
    layout: chooseLayout,
    resolve,
    setup: ({ App, props }) => (
      <Root colorScheme={page.props.colorScheme}>
        <App {...props} />
      </Root>
    ),
  })
}
