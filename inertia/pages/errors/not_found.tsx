import { ErrorPage } from '~/components/error_page'
import { HomeButton } from '~/components/home_button'

/** Also shown for records of other people, so that nobody learns whether these records exist. */
export default function NotFound() {
  return (
    <ErrorPage status={404} title="Page not found" actions={<HomeButton />}>
      <p>This page does not exist or was deleted. Check the address or use the menu.</p>
    </ErrorPage>
  )
}
