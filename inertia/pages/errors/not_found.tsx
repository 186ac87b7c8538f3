import { ErrorPage } from '~/components/error_page'
import { HomeButton } from '~/components/home_button'

/** Also for what belongs to somebody else: the words are the same. */
export default function NotFound() {
  return (
    <ErrorPage status={404} title="Nothing is moored here" actions={<HomeButton />}>
      <p>
        There is no page at this address, or it was deleted. Check the address or start from the
        menu.
      </p>
    </ErrorPage>
  )
}
