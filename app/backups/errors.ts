import { conflict } from '#core/refusal'

export const NO_TARGET = 'Set the backup target first.'
export const IS_RUNNING = 'A backup is already running.'
export const NOTHING_TO_TRY = 'There is no backup to test yet.'

/** 409 with the reason. */
export const cannotBackUp = (reason: string) => conflict(reason)
