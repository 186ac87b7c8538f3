import { Component, type ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { Button } from '@mantine/core'
import { ErrorPage } from '~/components/error_page'

interface ErrorBoundaryProps {
  /** Changes with each visit. A new visit clears the error. */
  visit: unknown
  children?: ReactNode
}

/** Shows an error instead of the page, so that the menu stays usable. */
export function PageErrorBoundary({ children }: { children?: ReactNode }) {
  return <ErrorBoundary visit={usePage()}>{children}</ErrorBoundary>
}

class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean }> {
  state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  componentDidUpdate(before: ErrorBoundaryProps) {
    if (this.state.failed && before.visit !== this.props.visit) this.setState({ failed: false })
  }

  render() {
    if (!this.state.failed) return this.props.children
    return (
      <ErrorPage
        title="This page cannot be shown"
        actions={<Button onClick={() => location.reload()}>Reload page</Button>}
      >
        <p>
          Berth cannot show this page, because the page has an error. Your last change may be saved.
          Other pages still work.
        </p>
        <p>Reload the page. If this happens again, send the address of this page to support.</p>
      </ErrorPage>
    )
  }
}
