import type { SampleData } from '#core/domains'
import { Refusal } from '#core/refusal'
import { actorOf, Person } from '#identity/public'
import { makeVault } from '#vault/actions/make_vault'
import { makeFolder } from '#vault/actions/objects'
import Vault from '#vault/models/vault'

/** A real vault of the first sample customer, with a folder. */
const sampleData: SampleData = async (sample) => {
  const [accountId] = sample.customers
  if (!accountId || (await Vault.query().where({ accountId }).first())) return
  const person = await Person.findOrFail(accountId)
  try {
    const actor = await actorOf(person)
    const vault = await makeVault(actor, 'sample-photos')
    await makeFolder(vault, 'harbour', { actor })
    sample.tell('1 vault')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    sample.tell(`No vault for ${person.name}: ${error.message}`)
  }
}

export default sampleData
