"""Checks emails as a strict receiver. Input: JSON {"records": {name: TXT}, "mails": [latin-1 text]}."""

import email
import email.policy
import hashlib
import json
import sys

import dkim

given = json.load(sys.stdin)


def txt(name, timeout=5):
    return given["records"].get(name.decode().rstrip("."), "").encode()


def describe(raw):
    message = email.message_from_bytes(raw, policy=email.policy.default)
    parts = [part for part in message.walk() if not part.is_multipart()]
    texts = [part.get_content() for part in parts if part.get_content_maintype() == "text" and not part.is_attachment()]
    attached = [part for part in parts if part.is_attachment()]
    return {
        "dkim": dkim.verify(raw, dnsfunc=txt),
        "signed": [header.split("d=")[1].split(";")[0].strip() for header in message.get_all("DKIM-Signature", [])],
        "defects": [str(defect) for part in message.walk() for defect in part.defects],
        "header_defects": [str(defect) for header in message.values() for defect in getattr(header, "defects", [])],
        "once": [len(message.get_all(name, [])) for name in ("From", "To", "Subject", "Date", "Message-ID")],
        "subject": str(message["Subject"]),
        "texts": [text.strip() for text in texts],
        "attachments": {part.get_filename(): hashlib.sha256(part.get_payload(decode=True)).hexdigest() for part in attached},
        "longest_line": max(len(line) for line in raw.split(b"\n")),
    }


json.dump([describe(text.encode("latin-1")) for text in given["mails"]], sys.stdout)
