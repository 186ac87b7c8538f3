"""Uses a vault with boto3. Arguments: service address, bucket, folder with the test files."""

import os
import sys
import urllib.error
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import ClientError

url, bucket, folder = sys.argv[1:]
s3 = boto3.client("s3", endpoint_url=url, region_name="us-east-1", config=Config(signature_version="s3v4"))
parts = TransferConfig(multipart_threshold=6 << 20, multipart_chunksize=5 << 20, max_concurrency=4)


def read(key):
    return s3.get_object(Bucket=bucket, Key=key)["Body"].read()


for root, _, names in os.walk(folder):
    for name in names:
        path = os.path.join(root, name)
        s3.upload_file(path, bucket, "tree/" + os.path.relpath(path, folder), Config=parts)

# Both operations that list objects, used like desktop programs that show folders: one level, a few entries at a time.
for operation in ("list_objects_v2", "list_objects"):
    files, folders = [], []
    pages = s3.get_paginator(operation).paginate(
        Bucket=bucket, Prefix="tree/", Delimiter="/", PaginationConfig={"PageSize": 2}
    )
    for page in pages:
        files += [item["Key"] for item in page.get("Contents", [])]
        folders += [item["Prefix"] for item in page.get("CommonPrefixes", [])]
    assert sorted(files) == ["tree/empty", "tree/large.bin", "tree/plain.txt"], files
    assert sorted(folders) == ["tree/a b/", "tree/odd/", "tree/ü/"], folders

# Desktop S3 programs request these settings before they list objects.
assert s3.get_bucket_location(Bucket=bucket)["LocationConstraint"] in (None, "us-east-1")
assert "Status" not in s3.get_bucket_versioning(Bucket=bucket)
assert s3.get_bucket_acl(Bucket=bucket)["Owner"]["ID"]
assert s3.list_multipart_uploads(Bucket=bucket).get("Uploads", []) == []
for ask in (s3.get_bucket_policy, s3.get_bucket_lifecycle_configuration, s3.get_bucket_website):
    try:
        ask(Bucket=bucket)
        raise AssertionError(ask)
    except ClientError as error:
        assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 404, error

s3.download_file(bucket, "tree/large.bin", os.path.join(folder, "large.back"), Config=parts)
s3.copy({"Bucket": bucket, "Key": "tree/large.bin"}, bucket, "copy.bin", Config=parts)
with open(os.path.join(folder, "large.bin"), "rb") as file:
    large = file.read()
with open(os.path.join(folder, "large.back"), "rb") as file:
    assert file.read() == large
assert read("copy.bin") == large
assert s3.get_object(Bucket=bucket, Key="copy.bin", Range="bytes=5-9")["Body"].read() == large[5:10]

s3.put_object(Bucket=bucket, Key="note.txt", Body=b"1", Metadata={"kind": "note"}, ContentType="text/plain")
head = s3.head_object(Bucket=bucket, Key="note.txt")
assert (head["Metadata"], head["ContentType"]) == ({"kind": "note"}, "text/plain"), head
try:
    s3.get_object(Bucket=bucket, Key="missing")
    raise AssertionError("missing")
except s3.exceptions.NoSuchKey:
    pass

# A signed form, which is sent like a browser would send it.
form = s3.generate_presigned_post(
    bucket, "forms/${filename}", Conditions=[["content-length-range", 1, 10]], ExpiresIn=60
)


def post(content):
    limit = "a-boundary"
    body = "".join(
        f'--{limit}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in form["fields"].items()
    )
    body += f'--{limit}\r\nContent-Disposition: form-data; name="file"; filename="রসিদ.txt"\r\n'
    body += f"Content-Type: text/plain\r\n\r\n{content}\r\n--{limit}--\r\n"
    headers = {"Content-Type": f"multipart/form-data; boundary={limit}"}
    try:
        return urllib.request.urlopen(urllib.request.Request(form["url"], body.encode(), headers)).status
    except urllib.error.HTTPError as error:
        return error.code


assert post("too long a text") == 400
assert post("short") == 204
assert read("forms/রসিদ.txt") == b"short"

link = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "note.txt"})
assert urllib.request.urlopen(link).read() == b"1"

everything = [{"Key": item["Key"]} for item in s3.list_objects_v2(Bucket=bucket)["Contents"]]
assert not s3.delete_objects(Bucket=bucket, Delete={"Objects": everything}).get("Errors")
assert s3.list_objects_v2(Bucket=bucket)["KeyCount"] == 0
print(len(everything))
