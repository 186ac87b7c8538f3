export { default as Person } from '#identity/models/person'
export {
  checkAbility,
  assertAbility,
  assertActiveAccount,
  assertAbilityIfStaff,
  checkStaffPermission,
} from '#identity/policies/abilities'
export type { Actor } from '#core/contracts/actor'
export { defaultInstanceChoiceProvider } from '#identity/default_instance_choice_provider'
export { accessTopic } from '#core/live/live_events'
export { actorOf, membershipProvider } from '#identity/actor'
export { emailSchema, singleLineSchema } from '#identity/validators/sign_in'
