import type { CreateSampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import { actorOf, Person } from '#identity/public'
import { createVault } from '#vault/actions/create_vault'
import { createFolder } from '#vault/actions/objects'
import Vault from '#vault/models/vault'

const sampleData: CreateSampleData = async (sample) => {
  const [accountId] = sample.customers
  if (!accountId || (await Vault.query().where({ accountId }).first())) return
  const person = await Person.findOrFail(accountId)
  try {
    const actor = await actorOf(person)
    const vault = await createVault(actor, 'sample-photos')
    await createFolder(vault, 'harbour', { actor })
    sample.report('1 vault')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    sample.report(`No vault for ${person.name}: ${error.message}`)
  }
}

export default sampleData
