export { default } from '~/pages/customer/file_manager/list'
