/**
 * What can be done with a machine alone. It knows no database, so that benches can use what stands
 * on it; everybody else imports `#guest/public`.
 */
export * from '#guest/errors'
export * from '#guest/machine/paths'
export { argumentOf, textOf } from '#guest/machine/raw_names'
export { folderOf, webRoot } from '#guest/machine/web_root'
