# Restores one archived WAL file. Arguments: archive folder, name of the file, destination.
gzip -dc < "$1/$2.gz" > "$3"
