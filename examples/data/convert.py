#!/usr/bin/env python3
"""Writes the USGS earthquake feed (GeoJSON) as the records that examples/quickstart.rs reads.

usage: convert.py earthquakes.json earthquakes.bin
"""

import json
import struct
import sys

source, destination = sys.argv[1:]
with open(source, encoding="utf-8") as feed:
    events = json.load(feed)["features"]

# Little-endian without padding: i64 time, f64 longitude, f64 latitude, f32 depth, f32 magnitude.
record = struct.Struct("<qddff")
with open(destination, "wb") as out:
    for event in events:
        longitude, latitude, depth = event["geometry"]["coordinates"]
        properties = event["properties"]
        out.write(record.pack(properties["time"], longitude, latitude, depth, properties["mag"]))
