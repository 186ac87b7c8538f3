import { ErrorPage } from '~/components/error_page'
import { HomeButton } from '~/components/home_button'

/** Also shown for other people's records, so that nobody learns that they exist. */
export default function NotFound() {
  return (
    <ErrorPage status={404} title="Page not found" actions={<HomeButton />}>
      <p>This page does not exist or was deleted. Check the address or use the menu.</p>
    </ErrorPage>
  )
}
