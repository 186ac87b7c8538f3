import { conflict } from '#core/app_error'

export const NO_TARGET_MESSAGE = 'Set the backup target first.'
export const BACKUP_RUNNING_MESSAGE = 'A backup is already running.'
export const NO_BACKUP_TO_TEST_MESSAGE = 'There is no backup to test yet.'

export const cannotBackUp = (reason: string) => conflict(reason)
