import { conflict, invalid, AppError } from '#core/app_error'

export const PROJECT_BUSY_MESSAGE =
  'Another operation is running on this project. Wait until it finishes.'
export const PROJECT_DELETED_MESSAGE = 'This project is deleted, which cannot be undone.'
export const PROJECT_SUSPENDED_MESSAGE = 'This project is suspended. Ask support for the reason.'

export function projectBusy(): AppError {
  return conflict(PROJECT_BUSY_MESSAGE)
}

export function pathTaken(): AppError {
  return invalid({ path: 'Another project on this server instance already uses this path.' })
}

/** @param field the field of the virtual host's form at which the error appears */
export function siteTaken(field: string): AppError {
  const what = field.endsWith('port') ? 'port' : 'domain'
  return invalid({ [field]: `Another project on this server instance already uses this ${what}.` })
}

export function appListensOnLoopbackOnly(port: number): AppError {
  return conflict(
    `The app on port ${port} listens only on 127.0.0.1, so visitors cannot reach it. Nothing was changed. Make it listen on 0.0.0.0 and save again, or set a domain for the project.`
  )
}

export function appNotServing(message: string): AppError {
  return new AppError('not_serving', 502, message)
}

export function processNotStopped(): AppError {
  return conflict('The process starts again after each stop. Try again.')
}
