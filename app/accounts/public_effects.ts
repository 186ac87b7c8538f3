export { resumeAccount, suspendAccount } from '#accounts/actions/suspend_and_resume'
