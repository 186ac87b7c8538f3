/** Interface for other modules that also send emails and sign people out. */
export { resumeAccount, suspendAccount } from '#accounts/actions/suspend_and_resume'
