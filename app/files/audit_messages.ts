/** `{}` stands for the name of the resource. */
export const auditMessages = {
  'files.read': 'Read a file on {}',
  'files.download': 'Downloaded a file from {}',
  'files.download_folder': 'Downloaded a folder from {}',
  'files.store': 'Created a file or folder on {}',
  'files.update_file': 'Changed a file on {}',
  'files.upload_file': 'Uploaded a file to {}',
  'files.upload_files': 'Uploaded files to {}',
  'files.finish_upload': 'Uploaded a large file to {}',
  'files.rename': 'Renamed a file on {}',
  'files.delete': 'Deleted a file on {}',
  'files.copy': 'Copied files on {}',
  'files.move': 'Moved files on {}',
  'files.delete_many': 'Deleted files on {}',
  'files.mode': 'Changed the mode of files on {}',
  'files.unzip_file': 'Unzipped a file on {}',
  'files.fix_ownership': 'Fixed the owners of files on {}',
}
