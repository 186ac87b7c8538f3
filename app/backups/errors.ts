import { conflict } from '#core/refusal'

export const NO_TARGET = 'Set where backups go first.'
export const IS_RUNNING = 'A backup is at work.'
export const NOTHING_TO_TRY = 'There is no backup yet that could be tried.'

/** 409 with the reason. */
export const cannotBackUp = (reason: string) => conflict(reason)
