"""Lets ceph/s3-tests use one vault, which is emptied before each test.

The suite creates a bucket for each test. An access key of Berth belongs to one vault.
"""

import os

import boto3
from s3tests import functional

vault = os.environ["VAULT"]


def empty_vault():
    client = functional.get_client()
    for upload in client.list_multipart_uploads(Bucket=vault).get("Uploads", []):
        client.abort_multipart_upload(
            Bucket=vault, Key=upload["Key"], UploadId=upload["UploadId"]
        )
    while True:
        objects = client.list_objects_v2(Bucket=vault).get("Contents", [])
        if not objects:
            return
        client.delete_objects(
            Bucket=vault, Delete={"Objects": [{"Key": o["Key"]} for o in objects]}
        )


def new_bucket(client=None, name=None):
    empty_vault()
    return vault


def new_bucket_resource(name=None):
    config = functional.config
    s3 = boto3.resource(
        "s3",
        aws_access_key_id=config.main_access_key,
        aws_secret_access_key=config.main_secret_key,
        endpoint_url=config.default_endpoint,
    )
    return s3.Bucket(new_bucket())


functional.setup = empty_vault
functional.teardown = empty_vault
functional.get_new_bucket = new_bucket
functional.get_new_bucket_name = new_bucket
functional.get_new_bucket_resource = new_bucket_resource


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        with open(os.environ["PASSED_TESTS"], "a") as file:
            file.write(report.nodeid + "\n")
